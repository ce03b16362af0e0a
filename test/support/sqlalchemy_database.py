"""The fifteen tables as a program over SQLAlchemy keeps them.

    sqlalchemy_database.py create FILE   makes the file, with rows in every table
    sqlalchemy_database.py add FILE      adds a row to every table
    sqlalchemy_database.py show FILE     changes nothing

Each prints the rows of every table as JSON, as SQLAlchemy reads them.
"""

import json
import sys
from datetime import datetime, timezone

from sqlalchemy import JSON, Boolean, Column, DateTime, ForeignKey, Integer, String, create_engine, null, text
from sqlalchemy.orm import Session, declarative_base, relationship

Base = declarative_base()


class AbstractAction(Base):
    __abstract__ = True
    id = Column(Integer, primary_key=True)
    name = Column(String)
    favorite = Column(Boolean, default=False)
    type = Column(String(32))


class Category(Base):
    __tablename__ = 'categories_table'
    id = Column(Integer, primary_key=True, index=True)
    name = Column(String(128))
    logo = Column(String)
    sub_categories = relationship('Subcategory', back_populates='category')


class Robot(Base):
    __tablename__ = 'robots_table'
    id = Column(Integer, primary_key=True)
    name = Column(String(64), unique=True)
    body_image = Column(String)
    head_image = Column(String)
    color = Column(String)
    animations = relationship('Animation', back_populates='robot')


class Subcategory(Base):
    __tablename__ = 'subcategories_table'
    id = Column(Integer, primary_key=True)
    name = Column(String)
    logo = Column(String)
    category_id = Column(Integer, ForeignKey('categories_table.id'))
    local = Column(Boolean, default=False)
    category = relationship('Category', back_populates='sub_categories')


class Animation(AbstractAction):
    __tablename__ = 'animations_table'
    image = Column(String)
    video = Column(String)
    command_value = Column(String)
    subcategory_id = Column(Integer, ForeignKey('subcategories_table.id'))
    robot_id = Column(Integer, ForeignKey('robots_table.id'))
    robot = relationship('Robot', back_populates='animations')


class CustomizedPrompt(Base):
    __tablename__ = 'customized_prompts_table'
    id = Column(Integer, primary_key=True)
    name = Column(String)
    prompt = Column(String)
    selected = Column(Boolean)
    order = Column(Integer)


class GamepadConfig(Base):
    __tablename__ = 'gamepad_config_table'
    id = Column(Integer, primary_key=True)
    name = Column(String, nullable=False)
    value = Column(String, nullable=False)
    prompt_name = Column(String, nullable=False)
    config = Column(JSON, nullable=True)


class Grasping(AbstractAction):
    __tablename__ = 'grasping_table'
    command_value = Column(String)
    rune = Column(String)
    function = Column(String)
    access_level = Column(String)
    couple_id = Column(Integer)
    subcategory_id = Column(Integer, ForeignKey('subcategories_table.id'))


class KnownLocation(Base):
    __tablename__ = 'known_locations_table'
    id = Column(String, primary_key=True)
    color = Column(String, nullable=False, default='#2196f3')


class KnownRune(Base):
    __tablename__ = 'known_runes_table'
    id = Column(String, primary_key=True)
    virtual_id = Column(String)
    label = Column(String)
    description = Column(String)
    class_ = Column(String)


class Navigation(AbstractAction):
    __tablename__ = 'navigation_table'
    command_value = Column(String)
    rune = Column(String)
    subcategory_id = Column(Integer, ForeignKey('subcategories_table.id'))


class RobotConfiguration(Base):
    __tablename__ = 'robot_configuration_table'
    id = Column(String(64), primary_key=True)
    value = Column(JSON)


class Route(Base):
    __tablename__ = 'routes_table'
    id = Column(String, primary_key=True)
    color = Column(String, nullable=False, default='#9c27b0')
    visible = Column(Boolean, nullable=False, default=True)


class Rune(Base):
    __tablename__ = 'runes_table'
    id = Column(Integer, primary_key=True)
    name = Column(String)
    command_name = Column(String)
    simple_click = Column(String, default='Nothing.')
    double_click = Column(String, default='Nothing.')
    long_press = Column(String, default='Nothing.')
    access_level = Column(String)
    subcategory_id = Column(Integer, ForeignKey('subcategories_table.id'))


class Skill(AbstractAction):
    __tablename__ = 'skills_table'
    swapable = Column(Boolean)
    value = Column(JSON, nullable=False)
    side = Column(String)
    description = Column(JSON, nullable=False)
    access_level = Column(String)
    subcategory_id = Column(Integer, ForeignKey('subcategories_table.id'))


class Tts(Base):
    __tablename__ = 'tts_table'
    id = Column(Integer, primary_key=True)
    type = Column(String)
    name = Column(JSON, nullable=False, default=dict)
    sentences = Column(JSON, nullable=False, default=dict)
    local = Column(Boolean, default=False)
    favorite = Column(Boolean, default=False)
    robot_id = Column(Integer, ForeignKey('robots_table.id'))
    subcategory_id = Column(Integer, ForeignKey('subcategories_table.id'))


TABLES = [mapper.class_ for mapper in Base.registry.mappers]


class Meeting(Base):
    """A table that the service does not know."""

    __tablename__ = 'meetings'
    id = Column(Integer, primary_key=True)
    at = Column(DateTime)
    robot_id = Column(Integer, ForeignKey('robots_table.id'))


TEXTS = ['', 'é 漢字 🤖', 'it\'s "quoted"\r\n', 'null', '0012']
VALUES = [
    {},
    [],
    {'é': ['漢字', {'🤖': None}], 'n': 0.30000000000000004},
    'text',
    '5',
    '',
    5,
    0,
    -9007199254740991,
    9007199254740991,
    0.1,
    0.30000000000000004,
    1e300,
    5e-324,
    True,
    False,
]


def create(session):
    session.execute(text('create table alembic_version (version_num varchar(32) not null primary key)'))
    session.execute(text("insert into alembic_version values ('0123456789ab')"))
    session.add(Robot(id=1, name='Ada', color='#fff'))
    session.add(Robot(id=2, name='Büro 🤖'))
    category = Category(name='Moves')
    session.add(Subcategory(id=7, name='Dances', category=category))
    session.flush()
    session.add(Subcategory(name='local', local=True))
    session.add(Meeting(robot_id=1, at=datetime(2026, 4, 1, 12, tzinfo=timezone.utc)))
    for number, words in enumerate(TEXTS):
        action = dict(name=words, type='t', favorite=[True, False, null()][number % 3], subcategory_id=7)
        session.add(Animation(image=words, robot_id=1, **action))
        session.add(Grasping(function=words, couple_id=number, **action))
        session.add(Navigation(rune=words, **action))
        session.add(CustomizedPrompt(prompt=words, selected=[True, False, null()][number % 3], order=-number))
        session.add(KnownLocation(id=f'{number} {words}'))
        session.add(KnownRune(id=f'{number} {words}', class_=words))
        session.add(Route(id=f'{number} {words}', visible=number % 2 == 0))
        session.add(Rune(name=words, simple_click=[None, 'Wave.'][number % 2] or null(), subcategory_id=7))
    for number, value in enumerate(VALUES):
        session.add(GamepadConfig(name=f'pad {number}', value='v', prompt_name='', config=value))
        session.add(RobotConfiguration(id=f'value {number}', value=value))
        session.add(Skill(value=value, description=value, swapable=True))
        session.add(Tts(name=value, sentences={'en': ['hello']}, robot_id=2))
    session.add(Tts())
    session.add(GamepadConfig(name='JSON null', value='v', prompt_name='', config=JSON.NULL))
    session.add(GamepadConfig(name='SQL NULL', value='v', prompt_name='', config=null()))
    session.add(RobotConfiguration(id='JSON null', value=JSON.NULL))
    session.add(RobotConfiguration(id='SQL NULL', value=null()))


def add(session):
    action = dict(name='added', favorite=True, subcategory_id=7)
    session.add(Category(name='added'))
    session.add(Robot(name='added'))
    session.add(Subcategory(name='added'))
    session.add(Animation(robot_id=1, **action))
    session.add(CustomizedPrompt(name='added', selected=True))
    session.add(GamepadConfig(name='added', value='', prompt_name='', config=[{'touch': 'é'}]))
    session.add(Grasping(**action))
    session.add(KnownLocation(id='added'))
    session.add(KnownRune(id='added'))
    session.add(Navigation(**action))
    session.add(RobotConfiguration(id='added', value=[0.1, None]))
    session.add(Route(id='added'))
    session.add(Rune(name='added'))
    session.add(Skill(value={}, description=[], swapable=False, **action))
    session.add(Tts(name={'en': 'added'}))


def rows(session, model):
    found = session.query(model).order_by(model.id).all()
    return [{column.name: getattr(row, column.name) for column in model.__table__.columns} for row in found]


def main(what, file):
    with Session(create_engine(f'sqlite:///{file}')) as session:
        if what == 'create':
            Base.metadata.create_all(session.get_bind())
        if what != 'show':
            {'create': create, 'add': add}[what](session)
            session.commit()
        print(json.dumps({model.__tablename__: rows(session, model) for model in TABLES}))


main(*sys.argv[1:])
